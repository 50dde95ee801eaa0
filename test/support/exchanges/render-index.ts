import { protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import type { ExchangeFile } from './exchange.ts'
import { features } from './features.ts'

/** The table of protocols and features, with the number of exchanges in each cell. */
export function renderIndex(files: readonly ExchangeFile[]): string {
  const rows = Object.entries(features).map(([feature, gaps]) => {
    const cells = protocolNames.map((protocol) => {
      const file = files.find((each) => each.feature === feature && each.protocol === protocol)
      return gaps[protocol] === undefined ? String(file?.exchanges.length ?? 0) : '–'
    })
    return `| ${[feature, ...cells].join(' | ')} |`
  })
  const gaps = Object.entries(features).flatMap(([feature, own]) =>
    Object.entries(own).map(([protocol, why]) => `- ${feature}: ${protocol} ${why}.`),
  )
  const total = files.reduce((sum, { exchanges }) => sum + exchanges.length, 0)
  return [
    '# Index of exchanges',
    `Written by \`npm run record-exchanges\`. ${total} exchanges; each cell says how many there are.`,
    [`| feature | ${protocolNames.join(' | ')} |`, '|---|---|---|---|---|', ...rows].join('\n'),
    'A dash means that the protocol does not have the feature:',
    gaps.join('\n'),
  ]
    .join('\n\n')
    .concat('\n')
}
