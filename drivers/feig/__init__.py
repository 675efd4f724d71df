"""HF readers over the FEIG OBID i-scan host protocol (ISO 15693)."""
