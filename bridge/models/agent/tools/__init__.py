"""A turn's toolbox: which tools the model is offered, how its arguments are read and outputs are built."""
