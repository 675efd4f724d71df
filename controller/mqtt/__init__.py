"""The one MQTT client: connection, topics, payload schemas, and the broker that demo and tests start."""
