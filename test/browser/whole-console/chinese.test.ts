import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { csrfHeader, csrfValue } from '../../../src/console-api/contract.ts'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import { type OperatorFixture, openOperatorFixture } from '../gateways/operator-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { englishTexts } from '../page/english-texts.ts'
import { lookProblems } from '../page/look-problems.ts'
import { visit, type WatchedPage } from '../page/open-browser.ts'
import { operatorPages, visitOperatorPage } from '../page/operator-pages.ts'
import { choose, see, settle } from '../page/page-steps.ts'

/** Names that the fixture and these tests have chosen, fields of protocols, and codes in a title. */
const own = [
  /https?:\/\/\S*/g,
  /[\w.-]+@[\w.-]+/g,
  /\bgpt-[\w.]+/g,
  /\btollgate\.yaml|\bopenai-main\b/g,
  /\b(default|acme|globex|local|caller|one|two|first|tollgate)\b/g,
  /\b(Acme Robotics|Globex|Local|Caller|Mine)\b/g,
  /\b(chat-completions|responses|messages|generate-content)\b/g,
  /\bsk-\S*|\bcal\S+cdef/g,
  /\b(user|replica|key|cred|credit|alert|tok)_\w+/g,
  /\b[0-9a-f]{8}-[0-9a-f-]{27,}/g,
  /\d{4}-[a-z-]+/g,
  /\b(account|alert|group|key|model|price|routes|setup|token|upstream|user)\.[a-z-]+/g,
  /\bMCP\b/g,
  /“model”|\bname、description、parameters\b|\btrustedProxies\b|\bpremium\b/g,
  /\bPOST \/v1\/\S+|-----BEGIN CERTIFICATE-----/g,
]

const pages = [
  '/',
  '/keys?account=acme',
  '/keys?account=acme&key=new',
  '/keys?account=acme&key=caller',
  '/usage',
  '/models?account=acme',
  '/playground?account=acme',
  '/billing?account=acme',
  '/account?account=acme',
  '/tokens?account=acme',
  '/alerts?account=acme',
  '/operate/models?view=missed',
  '/setup',
  '/nowhere',
] as const

/** Each page with the button that opens an empty form. */
const forms = [
  ['/operate/upstreams', '新建上游'],
  ['/operate/models', '新建模型'],
  ['/operate/groups', '新建分组'],
  ['/operate/accounts', '新建账户'],
  ['/operate/tokens', '新建令牌'],
] as const

browserSuite('the console in Chinese, dark theme', (chromiumPath) => {
  cleanUpAfterwards()
  let fixture: OperatorFixture
  let opened: WatchedPage
  let page: Page

  beforeAll(async () => {
    fixture = await openOperatorFixture(chromiumPath)
    await (await fixture.ask('gpt-x')).text()
    await (await fixture.ask('gpt-lost')).text()
    opened = await fixture.open({ locale: 'zh-CN', colorScheme: 'dark' })
    page = opened.page
  })
  afterAll(() => fixture?.close())

  const english = async () => {
    await settle(page)
    return englishTexts(page, own)
  }

  /** The English texts on the page and in each of its tabs. */
  async function englishInTabs(): Promise<string[]> {
    const found = await english()
    const dialog = page.getByRole('dialog')
    const place = (await dialog.count()) > 0 ? dialog : page.locator('body')
    for (const tab of await place.getByRole('tab').all()) {
      await tab.click()
      found.push(...(await english()))
    }
    return found
  }

  describe('no English text remains', () => {
    test.each(pages)('on %s and in its tabs', async (path) => {
      await visit(page, `/console${path}`)
      await settle(page)
      await page.locator('h1').first().waitFor({ state: 'attached' })
      expect(await englishInTabs()).toEqual([])
    })

    test.each(operatorPages)(
      'on %s and in its tabs, which fit the screen and have no serious colour issue',
      async (path, _english, title) => {
        await visitOperatorPage(page, path, title)
        const problems = await lookProblems('dark', opened, 'colours')
        expect([...problems, ...(await englishInTabs())]).toEqual([])
      },
    )

    test.each(forms)('in the form of %s', async (path, button) => {
      await visit(page, `/console${path}`)
      await settle(page)
      await page.getByRole('button', { name: button }).click()
      const dialog = page.getByRole('dialog')
      await dialog.locator('button[type=submit]').click()
      expect(await english()).toEqual([])
    })

    test('before signing in, and when single sign-on has failed', async () => {
      const { page: stranger, close } = await fixture.openAnonymous({ locale: 'zh-CN' })
      for (const path of ['/sign-in', '/sign-in?problem=open-id-unknown', '/sign-in#spent']) {
        await stranger.goto(`/console${path}`)
        await stranger.reload()
        await stranger.getByRole('heading', { name: '登录', level: 1 }).waitFor()
        expect(await englishTexts(stranger, [])).toEqual([])
      }
      await stranger.getByText('此链接已失效').first().waitFor()
      // Not the message of the browser, which has a language of its own.
      await stranger.getByRole('button', { name: '登录', exact: true }).click()
      await stranger.getByText('请输入密码。').waitFor()
      expect(await englishTexts(stranger, [])).toEqual([])
      await close()
    })
  })

  test('an error of the back end appears at its field and below the form', async () => {
    await visit(page, '/console/operate/groups')
    await page.getByRole('button', { name: '新建分组' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByRole('textbox', { name: '名称' }).fill('default')
    await panel.locator('button[type=submit]').click()
    await panel.getByText('分组“default”已存在。').first().waitFor()
    expect(await english()).toEqual([])
  })

  test('a failed deletion says why', async () => {
    await page.goto('/console/operate/groups?group=default')
    const panel = page.getByRole('dialog')
    await panel.getByRole('button', { name: '删除' }).first().click()
    const question = page.getByRole('dialog', { name: '删除 default？' })
    await question.getByRole('button', { name: '删除' }).click()
    await see(page, '此分组仍有路由，请先移除。')
    expect(await english()).toEqual([])
  })

  test('an upstream test names the problem and quotes the upstream', async () => {
    const words = 'Your account is not active'
    fixture.two.script(
      { bodyIncludes: 'gpt-spare' },
      { kind: 'status', status: 429, message: words },
    )
    await page.goto('/console/operate/upstreams?upstream=two')
    const panel = page.getByRole('dialog')
    await panel.getByRole('tab', { name: '测试' }).click()
    await panel.getByLabel('上游模型名称').first().fill('gpt-spare')
    await page.keyboard.press('Tab')
    await panel.getByRole('button', { name: '测试' }).click()
    await panel.getByText('上游拒绝了请求：').waitFor()
    await panel.getByText(words).waitFor()
    expect(await english()).toEqual([words])
  })

  test('the audit log shows field names, amounts and flags in readable form', async () => {
    const headers = { [csrfHeader]: csrfValue }
    const data = { accountId: 'acme', name: 'Mine', groups: ['default'], quotaNano: '5250000000' }
    expect((await page.request.post('/console/api/keys', { headers, data })).status()).toBe(200)
    await page.goto('/console/operate/audit')
    await page.getByRole('button', { name: /新建密钥：Mine/ }).click()
    const panel = page.getByRole('dialog')
    for (const name of ['名称', '账户', '分组', '额度', '启用']) {
      await panel.getByRole('cell', { name, exact: true }).waitFor()
    }
    for (const value of ['是', '$5.25', 'acme']) {
      await panel.getByRole('cell', { name: value, exact: true }).waitFor()
    }
    expect(await english()).toEqual([])
  })

  test('the audit log translates words of settings, also in lists', async () => {
    const headers = { [csrfHeader]: csrfValue }
    const alert = {
      name: 'Mine',
      channel: 'webhook',
      url: 'https://hooks.example.com/x',
      secret: 'a-secret-of-twenty-characters',
      kinds: ['upstream_down'],
    }
    const token = { name: 'Mine', scopes: ['read', 'money'] }
    for (const [path, data] of [['alerts', alert] as const, ['tokens', token] as const]) {
      expect((await page.request.post(`/console/api/${path}`, { headers, data })).ok()).toBe(true)
    }
    for (const [button, word] of [
      [/新建告警：/, '上游不可用'],
      [/新建管理令牌：/, '资金'],
    ] as const) {
      await page.goto('/console/operate/audit')
      await page.getByRole('button', { name: button }).first().click()
      await page.getByRole('dialog').getByText(word).waitFor()
      expect(await english()).toEqual([])
    }
  })

  test('Explain shows the whole plan', async () => {
    await visit(page, '/console/operate/explain')
    await choose(page, '密钥', 'Caller · acme')
    await choose(page, '示例模型', 'gpt-x')
    await page.getByRole('button', { name: '诊断', exact: true }).click()
    await see(page, '请求将被转发')
    expect(await english()).toEqual([])
  })

  test('the System page marks settings that are not set and defaults', async () => {
    await visit(page, '/console/operate/system')
    await page.getByRole('cell', { name: '未设置' }).first().waitFor()
    await page.getByRole('cell', { name: '默认' }).first().waitFor()
    expect(await page.getByText('(not set)').count()).toBe(0)
  })
})
