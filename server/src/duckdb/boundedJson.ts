import { quoteText } from './quote.js'

/** `/track` and `/append` take JSON as deep as this. */
export const maxJsonDepth = 100

/** A text of so many bytes has at most 1,000 levels, with which every function of DuckDB's works. */
const harmlessBytes = 2000
const fewBrackets = String.raw`[^\[{]*(?:[\[{][^\[{]*){0,${maxJsonDepth}}`
/** Matches strings, in which a bracket is only a letter, and everything else that is not a bracket. */
const noBracket = String.raw`(?s)"(?:[^"\\]|\\.)*"|[^\[\]{}"]+`
/** Matches brackets within brackets, as deep as is allowed. The text has nothing else, and all its brackets are square. */
const nested = Array.from({ length: maxJsonDepth }).reduce<string>(
  (inner) => String.raw`(?:\[${inner}\])*`,
  '',
)

/**
 * The SQL that says whether a text of JSON may be given to DuckDB's functions. Some of them call themselves
 * for each level. With 1.5.6 a text of 100,000 levels, which `repeat` makes at once, ends the process. The
 * cheap checks come first: most texts are short, and few of the others have many brackets.
 */
export const isShallow = (text: string): string =>
  `(strlen(${text}) <= ${harmlessBytes} OR regexp_full_match(${text}, ${quoteText(fewBrackets)})
    OR regexp_full_match(translate(regexp_replace(${text}, ${quoteText(noBracket)}, '', 'g'), '{}', '[]'), ${quoteText(nested)}))`

/** The guard replaces those functions of DuckDB's by these macros. */
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
