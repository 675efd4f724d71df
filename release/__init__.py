"""Makes what a release consists of: wheel, sources, bill of materials, licences, formats, digests. No part of the program."""
