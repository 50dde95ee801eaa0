import { writeFileSync } from 'node:fs'
import { startFakeUpstream } from '../fake-upstream/start-fake-upstream.ts'
import { printExchanges } from './print-exchanges.ts'
import { exchangePath, readExchangeFiles } from './read-exchanges.ts'
import { recordFile } from './record-exchange.ts'

/** Sends the request of every recorded exchange again, and writes all files anew in their one layout. */
const upstream = await startFakeUpstream()
let recorded = 0
for (const file of readExchangeFiles()) {
  const { protocol, feature, exchanges } = await recordFile(upstream, file)
  recorded += exchanges.filter(({ from }) => from !== 'written').length
  writeFileSync(exchangePath(protocol, `${feature}.json`), printExchanges(exchanges))
}
await upstream.stop()
process.stdout.write(`${recorded} exchanges recorded into test/exchanges\n`)
