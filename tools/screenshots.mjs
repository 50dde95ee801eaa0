import './bootstrap/require-node.mjs'
import { ensureConsoleBuilt } from './bootstrap/ensure-console-built.mjs'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'
import { runBun } from './bootstrap/run-bun.mjs'
import { stopWith } from './bootstrap/stop-with.mjs'
import { obtainBrowser } from './browser/obtain-browser.mjs'

await ensureInstalled()
await ensureConsoleBuilt()
const browser = await obtainBrowser(process.env)
if ('missing' in browser) stopWith(browser.missing)
else {
  process.env['TEST_CHROMIUM'] = browser.path
  await runBun(['test/browser/take-screenshots.ts', ...process.argv.slice(2)])
}
