"""What all pages stand on: colours, policy, bounds around requests, and the assets that they share."""
