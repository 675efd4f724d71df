"""People and rights: who they are, what each role may do, who is signed in. It knows neither HTTP nor the table."""
