// An API made with Express; the lines that the page shows for it come where the mark is.
import express from "express";
const app = express();
/* SERVER_LINES */
app.all("/notes", (_request, response) => response.set("X-Total", "1").json(["milk"]));
const listening = app.listen(0, "127.0.0.1", () => console.log(listening.address().port));
