import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { parseJson } from '../../../src/wire/json.ts'
import type { ExchangeFile } from './exchange.ts'
import { parseExchanges } from './exchange-schema.ts'

/** The project's own exchanges: test/exchanges/<protocol>/<feature>.json. */
const exchangesFolder = join(import.meta.dir, '../../exchanges')
export const indexPath = join(exchangesFolder, 'INDEX.md')

export function readExchangeFiles(): readonly ExchangeFile[] {
  return protocolNames.flatMap((protocol) =>
    namesIn(protocol).map((file) => ({
      protocol,
      feature: file.replace(/\.json$/, ''),
      exchanges: parseExchanges(
        parseJson(readFileSync(exchangePath(protocol, file), 'utf8')),
        `${protocol}/${file}`,
      ),
    })),
  )
}

export function exchangePath(protocol: ProtocolName, file: string): string {
  return join(exchangesFolder, protocol, file)
}

function namesIn(protocol: ProtocolName): string[] {
  const folder = join(exchangesFolder, protocol)
  return existsSync(folder) ? readdirSync(folder).sort() : []
}
