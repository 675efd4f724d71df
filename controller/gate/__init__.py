"""Who may come in at an HTTP address of ours: sessions, rights before every route, and refusals in both languages."""
