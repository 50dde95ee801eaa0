import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../../support/eventually.ts'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import { type OperatorFixture, openOperatorFixture } from '../gateways/operator-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { visit, type WatchedPage } from '../page/open-browser.ts'
import { choose, heading } from '../page/page-steps.ts'

/** A form, the text that a user types into it, and a way to leave the form. */
interface Way {
  readonly path: string
  /** The path is the first entry of the browser's history. */
  readonly isFirst?: boolean
  /** From the page to the form. */
  readonly open?: (page: Page) => Promise<void>
  readonly field: (page: Page) => Locator
  readonly leave: (page: Page) => Promise<void>
  /** An element of the page that follows the form. */
  readonly arrived: (page: Page) => Locator
}

const panel = (page: Page) => page.getByRole('dialog').first()
const tab = (name: string) => (page: Page) => page.getByRole('tab', { name, exact: true }).click()
const press = (name: string) => (page: Page) =>
  panel(page).getByRole('button', { name, exact: true }).click()
const link = (name: string) => (page: Page) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
const title = (name: string) => (page: Page) =>
  page.getByRole('heading', { name, level: 1, exact: true })

const accounts = '/console/operate/accounts'
const account = `${accounts}?open=acme`
const upstream = '/console/operate/upstreams?upstream=one'
const key = '/console/keys?account=acme&key=caller'
const board = '/console/operate/upstreams?view=routes&group=default&model=gpt-x'

const ways: Readonly<Record<string, Way>> = {
  'Cancel in the settings of an account': {
    path: account,
    open: tab('Settings'),
    field: (page) => panel(page).getByLabel('Name', { exact: true }),
    leave: press('Cancel'),
    arrived: (page) => page.locator('body:not(:has([role=dialog]))'),
  },
  'another tab beside a credit': {
    path: account,
    field: (page) => panel(page).getByLabel('Reason'),
    leave: tab('Members'),
    arrived: (page) => page.getByText('No members. Only administrators can see this account.'),
  },
  'a link inside the panel': {
    path: account,
    field: (page) => panel(page).getByLabel('Reason'),
    leave: (page) => panel(page).getByRole('link', { name: 'Usage' }).click(),
    arrived: title('Usage'),
  },
  'the Back button of the browser': {
    path: accounts,
    isFirst: true,
    open: (page) => page.getByRole('button', { name: 'Open account Acme Robotics' }).click(),
    field: (page) => panel(page).getByLabel('Reason'),
    leave: async (page) => {
      await page.evaluate('history.back()')
    },
    arrived: (page) => page.locator('body:not(:has([role=dialog]))'),
  },
  'Cancel of a new price': {
    path: '/console/operate/models?model=gpt-x',
    open: press('New version'),
    field: (page) => panel(page).getByLabel('Input', { exact: true }).first(),
    leave: press('Cancel'),
    arrived: (page) => panel(page).getByRole('button', { name: 'New version' }),
  },
  'another tab beside a new price': {
    path: '/console/operate/models?model=gpt-x',
    open: press('New version'),
    field: (page) => panel(page).getByLabel('Input', { exact: true }).first(),
    leave: tab('Routes'),
    arrived: (page) => page.getByText('Edit routes'),
  },
  'Cancel of a new credential': {
    path: upstream,
    open: async (page) => {
      await tab('Credentials')(page)
      await press('Add credential')(page)
    },
    field: (page) => panel(page).getByLabel('Name', { exact: true }),
    leave: press('Cancel'),
    arrived: (page) => panel(page).getByRole('button', { name: 'Add credential' }),
  },
  'replacing one credential while another is entered': {
    path: upstream,
    open: async (page) => {
      await tab('Credentials')(page)
      await press('Add credential')(page)
    },
    field: (page) => panel(page).getByLabel('Name', { exact: true }),
    leave: async (page) => {
      await panel(page)
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Edit' }).click()
    },
    arrived: (page) => panel(page).getByRole('button', { name: 'Save' }),
  },
  'Cancel of a route': {
    path: upstream,
    open: press('Add model'),
    field: (page) => page.getByRole('combobox', { name: 'Upstream model name' }),
    leave: (page) =>
      page
        .getByRole('dialog', { name: 'New route' })
        .getByRole('button', { name: 'Cancel' })
        .click(),
    arrived: (page) => page.locator('body:not(:has-text("New route"))'),
  },
  'another tab beside the settings of a key': {
    path: key,
    open: tab('Settings'),
    field: (page) => panel(page).getByLabel('Name', { exact: true }),
    leave: tab('Connect'),
    arrived: (page) => panel(page).getByRole('combobox', { name: 'Client' }).first(),
  },
  'Cancel in the settings of a key': {
    path: key,
    open: tab('Settings'),
    field: (page) => panel(page).getByLabel('Name', { exact: true }),
    leave: press('Cancel'),
    arrived: (page) => page.locator('body:not(:has([role=dialog]))'),
  },
  'a link of the navigation beside unsaved routes': {
    path: board,
    field: (page) => page.getByLabel('Weight of one'),
    leave: link('API keys'),
    arrived: title('API keys'),
  },
  'another model beside unsaved routes': {
    path: board,
    field: (page) => page.getByLabel('Weight of one'),
    leave: (page) => choose(page, 'Model', 'gpt-solo'),
    arrived: (page) => page.locator('body:not(:has-text("Changes not saved yet."))'),
  },
  'a link of the navigation beside an unsent invitation': {
    path: '/console/account?account=acme',
    field: (page) => page.getByPlaceholder('Email'),
    leave: link('Models'),
    arrived: title('Models'),
  },
  'signing out': {
    path: '/console/account?account=acme',
    field: (page) => page.getByPlaceholder('Email'),
    leave: async (page) => {
      await page.getByRole('button', { name: 'Signed-in user' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
    },
    arrived: (page) => page.getByRole('button', { name: 'Sign in' }),
  },
  'a step of the set-up that is skipped': {
    path: '/console/setup',
    open: (page) => page.getByRole('button', { name: 'Upstream' }).first().click(),
    field: (page) => page.getByLabel('Upstream name'),
    leave: (page) =>
      page
        .getByRole('button', { name: /^(Skip|Next)/ })
        .last()
        .click(),
    arrived: (page) => page.locator('body:not(:has-text("Connect"))'),
  },
}

const typed = '7'

browserSuite('leaving a form in Chromium', (chromiumPath) => {
  cleanUpAfterwards()
  let fixture: OperatorFixture
  beforeAll(async () => {
    fixture = await openOperatorFixture(chromiumPath)
  })
  afterAll(() => fixture?.close())

  /** The page of the previous case. A failed case does not return its page. */
  let left: WatchedPage | undefined
  const openLeft = async () => {
    const opened = left ?? (await fixture.open())
    left = undefined
    opened.complaints.length = 0
    const handOn = () => {
      left = opened
    }
    return { ...opened, handOn }
  }

  const enter = async (page: Page, { path, isFirst, open, field }: Way) => {
    await (isFirst ? page.goto(path) : visit(page, path))
    await open?.(page)
    await field(page).waitFor()
  }

  test.each(Object.entries(ways).filter(([name]) => name !== 'signing out'))(
    'by %s needs no confirmation when nothing was changed',
    async (_name, way) => {
      const { page, handOn } = await openLeft()
      await enter(page, way)
      await way.leave(page)
      await way.arrived(page).waitFor()
      handOn()
    },
  )

  /** Both answers keep the form open, whatever is below the question: a page, a panel, or a form above a panel. */
  const stays = ['Keep editing', 'Escape'] as const
  const cases = Object.entries(ways).map(
    ([name, way], index) =>
      [name, way, name === 'Cancel of a route' ? stays : [stays[index % 2]]] as const,
  )
  test.each(cases)('by %s asks before edits are lost', async (name, way, answers) => {
    const { page, handOn, close, complaints } = await openLeft()
    const question = page.getByRole('dialog', { name: 'Discard your changes?' })
    await enter(page, way)
    await way.field(page).fill(typed)
    for (const answer of answers) {
      await way.leave(page)
      const stay = question.getByRole('button', { name: 'Keep editing' })
      await (answer === 'Escape' ? stay.press('Escape') : stay.click())
      await question.waitFor({ state: 'hidden' })
      expect(await way.field(page).inputValue()).toBe(typed)
    }
    expect(complaints).toEqual([])
    // The test does not really sign out, so the edits stay and the page is not reused.
    if (name === 'signing out') return close()
    await way.leave(page)
    await question.getByRole('button', { name: 'Discard' }).click()
    await way.arrived(page).waitFor()
    expect(complaints).toEqual([])
    return handOn()
  })

  test('the browser asks before it leaves the console, only with unsaved edits', async () => {
    const { page, close } = await fixture.open()
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    await page.goto(account)
    await panel(page).getByLabel('Reason').click()
    await page.reload()
    await panel(page).getByLabel('Reason').fill('Invoice 7')
    expect(asked).toEqual([])
    await page.reload()
    expect(asked).toEqual(['beforeunload'])
    await panel(page).getByLabel('Reason').waitFor()
    await close()
  })

  test('after saving or deleting there is no confirmation', async () => {
    const { page, close } = await fixture.open()
    const question = page.getByRole('dialog', { name: 'Discard your changes?' })
    await visit(page, '/console/operate/groups')
    await page.getByRole('button', { name: 'New group' }).click()
    await panel(page).getByLabel('Name', { exact: true }).fill('spare')
    await panel(page).getByRole('button', { name: 'Create group' }).click()
    await page.getByRole('button', { name: 'Open group spare' }).click()
    await panel(page).getByLabel('Price factor').fill('2')
    await panel(page).getByRole('button', { name: 'Save' }).click()
    await eventually('the panel is closed', async () => (await panel(page).count()) === 0)
    await page.getByRole('button', { name: 'Open group spare' }).click()
    await panel(page).getByLabel('Price factor').fill('3')
    await panel(page).getByRole('button', { name: 'Delete' }).click()
    await page
      .getByRole('dialog', { name: 'Delete spare?' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await eventually('the panel is closed', async () => (await panel(page).count()) === 0)
    expect(await question.count()).toBe(0)
    await heading(page, 'Groups')
    await close()
  })

  test('the first credit of a new account needs confirmation like any other', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, accounts)
    await page.getByRole('button', { name: 'New account' }).click()
    await panel(page).getByLabel('Account ID').fill('initech')
    await panel(page).getByLabel('Name', { exact: true }).fill('Initech')
    await panel(page).getByLabel('Initial credit').fill('5000')
    await panel(page).getByRole('button', { name: 'Create account' }).click()
    const grant = page.getByRole('dialog', { name: 'Grant $5,000.00 to Initech?' })
    await grant.getByText('Reason: Initial credit').waitFor()
    await grant.getByText('Available credit: $0.00 now, $5,000.00 after this change.').waitFor()
    await grant.getByRole('button', { name: 'Cancel' }).click()
    await grant.waitFor({ state: 'hidden' })
    const made = page.getByRole('button', { name: 'Open account Initech' })
    expect(await made.count()).toBe(0)
    await panel(page).getByLabel('Initial credit').fill('50')
    await panel(page).getByRole('button', { name: 'Create account' }).click()
    await page
      .getByRole('dialog', { name: 'Grant $50.00 to Initech?' })
      .getByRole('button', { name: 'Grant credit' })
      .click()
    await panel(page)
      .getByRole('row', { name: /Available/ })
      .getByText('$50.00')
      .waitFor()

    await visit(page, accounts)
    await page.getByRole('button', { name: 'New account' }).click()
    await panel(page).getByLabel('Account ID').fill('hooli')
    await panel(page).getByLabel('Name', { exact: true }).fill('Hooli')
    await panel(page).getByRole('button', { name: 'Create account' }).click()
    await panel(page)
      .getByRole('row', { name: /Available/ })
      .getByText('$0.00')
      .waitFor()
    expect(complaints).toEqual([])
    await close()
  })
})
