import { quoteText } from './quote.js'

/** As deep as the JSON that `/track` and `/append` take. */
export const maxJsonDepth = 100

/** A text of so many bytes has 1,000 levels at most, which no function of DuckDB's minds. */
const harmlessBytes = 2000
const fewBrackets = String.raw`[^\[{]*(?:[\[{][^\[{]*){0,${maxJsonDepth}}`
/** Texts, in which a bracket is a letter, and all that is no bracket. */
const noBracket = String.raw`(?s)"(?:[^"\\]|\\.)*"|[^\[\]{}"]+`
/** Brackets within brackets, as deep as is allowed. Everything else was taken out, and all brackets are square. */
const nested = Array.from({ length: maxJsonDepth }).reduce<string>(
  (inner) => String.raw`(?:\[${inner}\])*`,
  '',
)

/**
 * The SQL of whether a text of JSON may be given to DuckDB's functions. Some look into it level by level on
 * the stack: with 1.5.6 one of 100,000 levels, which `repeat` makes in no time, ends the process. Most
 * texts are short, and few of the others have so many brackets that it must be looked at how they lie.
 */
export const isShallow = (text: string): string =>
  `(strlen(${text}) <= ${harmlessBytes} OR regexp_full_match(${text}, ${quoteText(fewBrackets)})
    OR regexp_full_match(translate(regexp_replace(${text}, ${quoteText(noBracket)}, '', 'g'), '{}', '[]'), ${quoteText(nested)}))`

/** What the guard puts in the place of such functions of DuckDB's. */
export const boundedJson = `
CREATE OR REPLACE MACRO analytics.main.bounded_json(value) AS
  CASE WHEN value IS NULL OR ${isShallow('value::VARCHAR')} THEN value
    ELSE error('JSON of more than ${maxJsonDepth} levels is too deep for this function.') END;
CREATE OR REPLACE MACRO analytics.main.json_structure(value) AS
  system.main.json_structure(analytics.main.bounded_json(value));
CREATE OR REPLACE MACRO analytics.main.json_group_structure(value) AS
  json_extract(system.main.json_structure(analytics.main.bounded_json(json_group_array(value))), '$[0]');
CREATE OR REPLACE MACRO analytics.main.json_contains(haystack, needle) AS
  system.main.json_contains(analytics.main.bounded_json(haystack), needle);
`
