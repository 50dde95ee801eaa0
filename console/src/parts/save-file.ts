/** Saves a file as a download of the browser. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken the content by then; some browsers only begin after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
