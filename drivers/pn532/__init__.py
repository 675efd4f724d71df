"""NXP PN532 over its high-speed UART: enrolment desk and antennas for a single card (PN532 §2.3)."""
