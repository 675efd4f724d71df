"""Angel Eye II-EX shoes, read only and unverified: no document of the maker is public, no device was met (devices §1.2)."""
