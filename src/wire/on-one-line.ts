/** The same JSON without line breaks. Line breaks inside strings are escaped, so all others are whitespace. */
export function onOneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json
}
