import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds package.json, whatever the folder the command was started in. */
export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
