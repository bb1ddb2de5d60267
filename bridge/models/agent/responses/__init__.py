"""The Responses API in both directions: requests parsed, provider streams repaired, answers written."""
