"""The modules of the plugins. They import nothing but each other and what Open WebUI brings."""
