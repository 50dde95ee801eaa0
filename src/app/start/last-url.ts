import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { baseUrlOf } from './base-url.ts'

const fileName = 'url'

/** Records the URL of the gateway on this data folder: a command does not know the flags of that process. */
export function noteUrl({ data }: Pick<Config, 'data'>, url: string): void {
  writeFileSync(join(data, fileName), `${url}\n`, { mode: 0o600 })
}

/**
 * The URL of the gateway, as far as a command knows: the public URL, the one that this command
 * line names, the URL of the last start, or the one in the settings. Undefined when the system chooses the port.
 */
export function findUrl(config: Config): string | undefined {
  const { publicUrl, listen, inForce } = config
  if (publicUrl !== undefined) return publicUrl
  const isFlagged = inForce.some(({ name, source }) => name === 'listen' && source === '--listen')
  const known = listen.port === 0 ? undefined : baseUrlOf(listen)
  return isFlagged ? known : (readNote(config) ?? known)
}

function readNote({ data }: Config): string | undefined {
  try {
    const text = readFileSync(join(data, fileName), 'utf8').trim()
    return URL.canParse(text) ? text : undefined
  } catch {
    return undefined
  }
}
