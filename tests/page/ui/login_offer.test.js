// @ts-check
/** Which refusals are taken for those of an API that knows its users by a login. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { showsLoginPage, wantsLogin } from "../../../static/ui/login_offer.js";

/** @param {Record<string, unknown>} detail */
const refused = (detail) => ({ code: "http_status", detail });

test("a page for people in the place of a 401 says that a login is wanted; data, other refusals and a login that went along do not", () => {
  assert.equal(showsLoginPage(refused({ status: 401, content_type: "text/html; charset=utf-8" })), true);
  assert.equal(showsLoginPage(refused({ status: 401, content_type: "application/json" })), false);
  assert.equal(showsLoginPage(refused({ status: 403, content_type: "text/html" })), false);
  assert.equal(showsLoginPage(refused({ status: 401, content_type: "text/html", login: true })), false);
});

test("a login that went along has ended where the API refuses it, or sends its user elsewhere", () => {
  for (const status of [401, 403]) assert.equal(wantsLogin(refused({ status, login: true })), true);
  assert.equal(wantsLogin({ code: "redirect_refused", detail: { login: true } }), true);
  assert.equal(wantsLogin(refused({ status: 401 })), false);
  assert.equal(wantsLogin(refused({ status: 404, login: true })), false);
});
