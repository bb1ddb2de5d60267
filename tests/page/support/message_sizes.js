// @ts-check
/**
 * Prints how many bytes the page sends of a call beside what the API answered: for the guard on cost.
 * `node message_sizes.js WASTE`: the call's id, which both messages repeat, has so many characters more than 36.
 */
import { ackOf } from "../../../static/executor/call_message.js";
import { bench, call, never } from "./runner_bench.js";

const TEXT = "x".repeat(20);
const CALL = call({ call_id: "0".repeat(36 + Number(process.argv[2])) });

const { runner } = bench(undefined, { fetch: async () => new Response(TEXT, { headers: { "content-type": "text/plain" } }) });
const outcome = await runner.runCall(CALL, never);
const result = JSON.stringify(["bridge:result", { call_id: CALL.call_id, outcome }]);
const ack = JSON.stringify([ackOf(CALL, null, false)]);
console.log(JSON.stringify({ result: result.length - TEXT.length, ack: ack.length }));
