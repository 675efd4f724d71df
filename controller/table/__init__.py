"""A table at run time: one bounded inbox, decide, durable append, evolve, effects; seats and stacks from hand to hand."""
