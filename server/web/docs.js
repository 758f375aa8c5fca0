// SPDX-License-Identifier: Apache-2.0
// docs.js: the interface for people, made of the OpenAPI document that the daemon serves.
import { by, get, make, run } from "./page.js";

let api;

/** What a "$ref" points to, or the value itself. */
const resolve = (value) =>
  value?.$ref ? value.$ref.slice(2).split("/").reduce((at, key) => at[key], api) : value;

/** Text of the document, where `words` in backticks are code and an empty line ends a paragraph. */
function prose(text = "", element = "p") {
  return text.trim().split(/\n\s*\n/).filter(Boolean).map((paragraph) => make(element, {},
    ...paragraph.split("`").map((part, i) => (i % 2 ? make("code", {}, part) : part))));
}

const schemaLink = (ref) => make("a", { href: `#${ref.split("/").pop()}` }, ref.split("/").pop());

/** A schema in a few words, as a list of nodes. */
function type(schema = {}) {
  if (schema.$ref) return [schemaLink(schema.$ref)];
  if (schema.enum) return schema.enum.flatMap((word, i) => [i ? " | " : "", make("code", {}, String(word))]);
  const choice = schema.oneOf ?? schema.anyOf;
  if (choice) return choice.flatMap((one, i) => [i ? " or " : "", ...type(one)]);
  const words = schema.type === "array" ? ["array of ", ...type(schema.items)] : [[schema.type ?? "any"].flat().join(" or ")];
  if (schema.format) words.push(` (${schema.format})`);
  if (schema.pattern) words.push(" like ", make("code", {}, schema.pattern));
  const { minimum: least, maximum: most } = schema;
  if (least !== undefined || most !== undefined)
    words.push(most === undefined ? `, at least ${least}` : ` from ${least ?? "…"} to ${most}`);
  if (schema.maxLength) words.push(`, at most ${schema.maxLength} characters`);
  return words;
}

function fallback(schema) {
  return schema?.default === undefined ? [] : [make("small", {}, "default ", make("code", {}, String(schema.default)))];
}

/** Rows of a table: a name and what it is. */
function table(rows) {
  return make("div", { className: "wide" }, make("table", {}, make("tbody", {},
    ...rows.map(([name, ...about]) => make("tr", {}, make("th", { scope: "row" }, ...name), make("td", {}, ...about))))));
}

function parameters(list) {
  const rows = list.map(resolve).map((p) => [
    [make("code", {}, p.name), " ", make("small", {}, p.required ? `${p.in}, required` : p.in)],
    make("div", {}, ...type(p.schema), " ", ...fallback(p.schema)), ...prose(p.description)]);
  return rows.length ? [make("h4", {}, "Parameters"), table(rows)] : [];
}

function media(content = {}) {
  return Object.entries(content).map(([name, { schema }]) => make("div", {}, make("code", {}, name), ": ",
    ...type(schema), ...(schema?.description ? [make("small", {}, " ", schema.description)] : []),
    ...(schema?.properties ? [properties(schema)] : [])));
}

function responses(list) {
  const rows = Object.entries(list).map(([status, value]) => {
    const answer = resolve(value);
    const headers = Object.entries(answer.headers ?? {}).map(([name]) => make("code", {}, name));
    return [[make("code", {}, status === "default" ? "error" : status)], ...prose(answer.description),
      ...media(answer.content), ...(headers.length ? [make("small", {}, "headers ", ...join(headers))] : [])];
  });
  return [make("h4", {}, "Answers"), table(rows)];
}

const join = (nodes) => nodes.flatMap((node, i) => (i ? [", ", node] : [node]));

/** The members of an object or of an array of objects, to any depth. */
function properties(schema) {
  const of = schema.items ?? schema, required = of.required ?? [];
  return table(Object.entries(of.properties ?? {}).map(([name, value]) => [
    [make("code", {}, name), ...(required.includes(name) ? [" ", make("small", {}, "required")] : [])],
    make("div", {}, ...type(value), " ", ...fallback(value)), ...prose(value.description),
    ...(value.properties || value.items?.properties ? [properties(value)] : [])]));
}

function operation(path, method, op, shared = []) {
  const free = op.security?.length === 0; // It needs no token, so the browser can go there itself.
  const open = method === "get" && !path.includes("{")
    ? [" ", make("a", { className: free ? "" : "api", href: path }, "open")] : [];
  return make("section", { id: op.operationId },
    make("h3", {}, make("span", { className: `method ${method}` }, method.toUpperCase()), " ", make("code", {}, path), ...open),
    ...prose(op.summary), ...prose(op.description), ...parameters([...shared, ...(op.parameters ?? [])]),
    ...(op.requestBody ? [make("h4", {}, "Body"), ...media(resolve(op.requestBody).content)] : []),
    ...responses(op.responses));
}

const METHODS = ["get", "post", "put", "patch", "delete"];

function operations() {
  return Object.entries(api.paths).flatMap(([path, item]) => METHODS.filter((method) => item[method])
    .map((method) => ({ path, method, op: item[method], shared: item.parameters })));
}

function schema([name, value]) {
  const of = value.items ?? value;
  return make("section", { id: name }, make("h3", {}, make("code", {}, name)), ...prose(value.description),
    of.properties ? properties(value) : make("p", {}, ...type(value), " ", ...fallback(value)));
}

async function render() {
  api = await (await get("/v1/openapi.json")).json();
  const list = operations(), schemas = Object.entries(api.components.schemas);
  by("interface").append(...prose(api.info.description), make("h2", {}, "Requests"),
    ...list.map(({ path, method, op, shared }) => operation(path, method, op, shared)),
    make("h2", {}, "Schemas"), ...schemas.map(schema));
  by("contents").append(
    make("strong", {}, "Requests"), ...list.map(({ path, method, op }) => make("a", { href: `#${op.operationId}`, title: op.summary },
      make("span", { className: `method ${method}` }, method.toUpperCase()), " ", path)),
    make("strong", {}, "Schemas"), ...schemas.map(([name]) => make("a", { href: `#${name}` }, name)));
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

run(render);
