import './bootstrap/require-node.mjs'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'

await ensureInstalled()
const { buildPackages } = await import('./package/build-packages.mjs')
await buildPackages(process.argv.slice(2))
