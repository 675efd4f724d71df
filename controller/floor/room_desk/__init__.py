"""Where the floor's people keep the waiting list and lay out the rota."""
