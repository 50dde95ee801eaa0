import { writeFileSync } from 'node:fs'
import { startFakeUpstream } from '../fake-upstream/start-fake-upstream.ts'
import { printExchanges } from './print-exchanges.ts'
import { exchangePath, indexPath, readExchangeFiles } from './read-exchanges.ts'
import { recordFile } from './record-exchange.ts'
import { renderIndex } from './render-index.ts'

/** Repeats the request of every recorded exchange, and rewrites all files in their layout. */
const upstream = await startFakeUpstream()
const files = readExchangeFiles()
let recorded = 0
for (const file of files) {
  const { protocol, feature, exchanges } = await recordFile(upstream, file)
  recorded += exchanges.filter(({ from }) => from !== 'written').length
  writeFileSync(exchangePath(protocol, `${feature}.json`), printExchanges(exchanges))
}
writeFileSync(indexPath, renderIndex(files))
await upstream.stop()
process.stdout.write(`${recorded} exchanges recorded into test/exchanges\n`)
