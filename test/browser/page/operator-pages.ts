import type { Page } from 'playwright-core'
import { visit } from './open-browser.ts'
import { heading, settle } from './page-steps.ts'

/** Each page of operators with its title in both languages. Pages with a panel open it by their URL. */
export const operatorPages = [
  ['/operate/upstreams', 'Upstreams', '上游'],
  ['/operate/upstreams?upstream=one', 'Upstreams', '上游'],
  ['/operate/upstreams?view=routes', 'Upstreams', '上游'],
  ['/operate/upstreams?view=routes&group=default&model=gpt-x', 'Upstreams', '上游'],
  ['/operate/models', 'Models and prices', '模型与价格'],
  ['/operate/models?model=gpt-x', 'Models and prices', '模型与价格'],
  ['/operate/groups', 'Groups', '分组'],
  ['/operate/groups?group=default', 'Groups', '分组'],
  ['/operate/accounts', 'Accounts and users', '账户与用户'],
  ['/operate/accounts?open=acme', 'Accounts and users', '账户与用户'],
  ['/operate/accounts?view=users', 'Accounts and users', '账户与用户'],
  ['/operate/tokens', 'Admin tokens', '管理令牌'],
  ['/operate/tokens?token=new', 'Admin tokens', '管理令牌'],
  ['/operate/alerts', 'Alerts', '告警'],
  ['/operate/alerts?alert=new', 'Alerts', '告警'],
  ['/operate/usage', 'All usage', '全部用量'],
  ['/operate/explain', 'Explain', '请求诊断'],
  ['/operate/audit', 'Audit log', '审计日志'],
  ['/operate/system', 'System', '系统'],
] as const

/** Goes to one of these pages, and waits until the page is complete. */
export async function visitOperatorPage(page: Page, path: string, title: string): Promise<void> {
  await visit(page, `/console${path}`)
  await settle(page)
  // The page behind an open panel cannot be reached by role.
  if (/[?&](upstream|model|group|open|token)=/.test(path) && !path.includes('view=')) {
    await page.getByRole('dialog').waitFor()
  } else {
    await heading(page, title)
  }
  await settle(page)
}
