class JMESPathError(ValueError): ...

class ParseError(JMESPathError):
    lex_position: int
    token_value: str | None
    msg: str

class IncompleteExpressionError(ParseError): ...

class LexerError(ParseError):
    message: str

class ArityError(ParseError):
    function_name: str

class JMESPathTypeError(JMESPathError):
    function_name: str
    actual_type: str
    expected_types: list[str]

class EmptyExpressionError(JMESPathError): ...
class UnknownFunctionError(JMESPathError): ...
