"""What the plugins use of Open WebUI 0.12.4."""

from typing import Any

class ModelModel:
    id: str
    def model_dump(self) -> dict[str, Any]: ...

class ModelForm:
    def __init__(self, **members: Any) -> None: ...

class ModelsTable:
    async def get_model_by_id(self, id: str) -> ModelModel | None: ...
    async def update_model_by_id(self, id: str, model: ModelForm) -> ModelModel | None: ...

Models: ModelsTable
