"""What the definitions of tools cost a model, in tokens for each fact that they tell."""
