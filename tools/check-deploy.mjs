import './bootstrap/require-node.mjs'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'

await ensureInstalled()
const { checkDeploy } = await import('./package/check-deploy.mjs')
process.exit(await checkDeploy())
