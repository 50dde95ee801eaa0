/** Formats of an export: CSV, or one JSON object per line. */
export const exportFormats = ['csv', 'ndjson'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** The last line of an export that broke off. */
export const incompleteCsvLine = '# incomplete\r\n'
export const incompleteJsonLine = '{"incomplete":true}\n'
