/** The same JSON without line breaks: inside a string they are escaped, so those that are there mean nothing. */
export function onOneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json
}
