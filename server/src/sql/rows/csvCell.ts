/**
 * How a spreadsheet's formula begins, in a cell that came from anybody: Excel, LibreOffice and Google Sheets run what
 * begins so. The last four are the wide forms, which Excel reads alike.
 */
const opening = '[=+@\\t\\r\\n＝＋－＠-]'

/** SQL for the text of a CSV cell. With `escapes`, a text that a spreadsheet would run has an apostrophe before it. */
export const csvCellSql = (column: string, escapes: boolean): string => {
  const plain = `${column}::VARCHAR`
  // A number with a sign, such as -5, is no formula.
  const isFormula = `regexp_matches(${plain}, '^${opening}') AND TRY_CAST(${plain} AS DOUBLE) IS NULL`
  const text = escapes ? `CASE WHEN ${isFormula} THEN concat('''', ${plain}) ELSE ${plain} END` : plain
  return `CASE WHEN ${column} IS NULL THEN '' WHEN ${plain} = '' OR regexp_matches(${plain}, '[",\\r\\n]')
   THEN '"' || replace(${text}, '"', '""') || '"' ELSE ${text} END`
}

const formula = new RegExp(`^${opening}`)

/** The text of a CSV cell, as `csvCellSql` writes it. */
export const csvCell = (text: string, escapes: boolean): string => {
  const isFormula = escapes && formula.test(text) && Number.isNaN(Number(text))
  const cell = isFormula ? `'${text}` : text
  return text === '' || /[",\r\n]/.test(text) ? `"${cell.replaceAll('"', '""')}"` : cell
}
