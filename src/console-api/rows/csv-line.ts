export type CsvValue = string | number | null

export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

/**
 * A character that starts a formula, at the start of the text or after a character at which a spreadsheet may split
 * cells. Spreadsheets that split at semicolons ignore the quotes of a cell between commas.
 */
const formulaStart = /((?:^|[;|\t\r\n])[\s"]*)([=+\-@＝＋－＠])/g

/** People choose names. What a spreadsheet would run as a formula is marked as text. */
function csvCell(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const marked = value.replace(formulaStart, "$1'$2")
  const text = /^[\t\r\n]/.test(value) ? `'${marked}` : marked
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
