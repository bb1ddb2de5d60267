"""Options of chat requests, under the names that a response has for them."""

from plugins.open_webui.source.json_values import Json, as_object

UNTRANSLATED = frozenset(
    {
        *("model", "messages", "stream", "stream_options", "tools"),
        *("tool_choice", "functions", "function_call", "prompt", "suffix"),
        *("n", "stop", "seed", "logit_bias", "logprobs"),
        *("frequency_penalty", "presence_penalty", "max_tokens", "max_completion_tokens", "reasoning_effort"),
        *("response_format", "verbosity", "metadata", "features", "files"),
        *("chat_id", "session_id", "id", "user"),
    }
)
"""Members that no response has, or has under another name."""


def options_of(body: Json) -> Json:
    """The options of a chat request; what a response has no option for is left out."""
    options = {name: value for name, value in body.items() if name not in UNTRANSLATED and value is not None}
    if limit := body.get("max_completion_tokens") or body.get("max_tokens"):
        options["max_output_tokens"] = limit
    if effort := body.get("reasoning_effort"):
        options["reasoning"] = {**as_object(options.get("reasoning")), "effort": effort}
    if form := as_object(body.get("response_format")):
        options["text"] = {"format": {"type": form.get("type"), **as_object(form.get("json_schema"))}}
    if isinstance(body.get("tool_choice"), str):
        options["tool_choice"] = body["tool_choice"]
    return options
