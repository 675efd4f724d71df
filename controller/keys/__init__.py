"""A venue's authority and the certificates it issues: who is who on its network."""
