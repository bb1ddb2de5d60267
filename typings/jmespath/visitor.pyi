from jmespath.functions import Functions

class Options:
    def __init__(self, dict_cls: type | None = None, custom_functions: Functions | None = None) -> None: ...
