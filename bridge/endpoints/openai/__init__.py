"""Chat Completions and Responses, as clients of OpenAI speak them."""
