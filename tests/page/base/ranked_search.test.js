// @ts-check
/** How the palette and the list of tools rank what they found. */
import assert from "node:assert/strict";
import test from "node:test";
import { rankFound } from "../../../static/base/ranked_search.js";

/** @param {string[]} labels @param {string} query @param {string} [about] of each */
const found = (labels, query, about = "") =>
  rankFound(labels, query, (label) => ({ label, search: `${label} ${about}`.toLowerCase() }));

test("Finding page-F12: what has more of the words in its name comes first, wherever they stand in it", () => {
  const labels = ["compute_firewalls_insert", "compute_instances_insert", "insertRow"];
  assert.deepEqual(found(labels, "insert instance", "of an instance"), [labels[1], labels[2], labels[0]]);
});

test("among names that fit as well, one that begins with the first word comes first, then the order given", () => {
  assert.deepEqual(found(["carpet", "listPets", "petById", "addPet"], "pet"), ["petById", "listPets", "addPet", "carpet"]);
});

test("each word must occur, and without words all are found as they come", () => {
  assert.deepEqual(found(["b", "a"], "a b"), []);
  assert.deepEqual(found(["b", "a"], "  "), ["b", "a"]);
});
