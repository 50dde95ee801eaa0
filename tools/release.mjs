import './bootstrap/require-node.mjs'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'

await ensureInstalled()
const { buildRelease } = await import('./package/build-release.mjs')
await buildRelease()
