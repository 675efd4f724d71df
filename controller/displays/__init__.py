"""Publisher of the views over MQTT, and the display that draws them in a terminal."""
