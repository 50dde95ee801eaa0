import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json, whatever the current directory is. */
export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
