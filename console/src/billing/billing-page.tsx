import { ActionIcon, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { StatementAnswer } from '../../../src/console-api/contract.ts'
import { billingQuery } from '../api/queries.ts'
import { useCreditText } from '../codes/use-credit-text.ts'
import { formatCount } from '../format/counts.ts'
import { formatDay, formatMonth, formatRecent, formatUtcDay } from '../format/times.ts'
import { IconChevronLeft, IconChevronRight, IconReceipt2 } from '../icons/icons.ts'
import { PageError } from '../parts/feedback/page-error.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { EmptyState } from '../parts/lists/empty-state.tsx'
import { PageHeader } from '../parts/page/page-header.tsx'
import { Section } from '../parts/page/section.tsx'
import { Money } from '../parts/values/money.tsx'
import { AccountPicker } from '../shell/account-picker.tsx'
import { useOneAccount } from '../shell/use-one-account.ts'
import { BalanceCard, isOfAccount } from './balance-card.tsx'
import { monthBeside, monthOf, today } from './months.ts'
import { StatementTable } from './statement-table.tsx'

export function BillingPage() {
  const { t } = useTranslation()
  const account = useOneAccount()
  return (
    <>
      <PageHeader title={t('billing.title')} text={t('billing.text')}>
        <AccountPicker />
        <MonthPicker />
      </PageHeader>
      {account === undefined ? (
        <EmptyState icon={<IconReceipt2 />} title={t('account.noneText')} />
      ) : (
        <StatementLoader account={account} />
      )}
    </>
  )
}

function useMonth() {
  const { from } = useSearch({ from: '/shell/billing' })
  return monthOf(from ?? today(Date.now()))
}

function MonthPicker() {
  const { t, i18n } = useTranslation()
  const navigate = useNavigate({ from: '/billing' })
  const month = useMonth()
  const go = (offset: number) =>
    void navigate({ search: (old) => ({ ...old, ...monthBeside(month.from, offset) }) })
  const isLast = month.to >= today(Date.now())
  return (
    <Group gap={4} wrap="nowrap" role="group" aria-label={t('billing.month')}>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={t('billing.earlier')}
        onClick={() => go(-1)}
      >
        <IconChevronLeft size={16} />
      </ActionIcon>
      <Text size="sm" fw={500} ta="center" miw={120} aria-live="polite">
        {formatMonth(month.from, i18n.language)}
      </Text>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={t('billing.later')}
        disabled={isLast}
        onClick={() => go(1)}
      >
        <IconChevronRight size={16} />
      </ActionIcon>
    </Group>
  )
}

function StatementLoader({ account }: { account: string }) {
  const { from, to } = useMonth()
  const statement = useQuery(billingQuery(account, from, to))
  if (statement.error) {
    return <PageError error={statement.error} reset={() => void statement.refetch()} />
  }
  return statement.data ? <Statement statement={statement.data} /> : <PagePending />
}

/** Balance, credits and holds, which owners of the account see. */
function AccountFigures({ statement }: Parameters<typeof BalanceCard>[0]) {
  const { t, i18n } = useTranslation()
  const creditText = useCreditText()
  return (
    <>
      <BalanceCard statement={statement} />
      <Section title={t('billing.creditList')}>
        <StatementTable
          heads={[t('billing.reason'), t('billing.amount')]}
          empty={t('billing.noCredits')}
          rows={statement.credits.map((line) => ({
            id: `${line.source} ${line.externalId}`,
            cells: [
              <div key="reason" style={{ overflowWrap: 'anywhere' }}>
                {creditText(line)}
                <Text size="xs" c="dimmed">
                  {formatDay(line.at, i18n.language)}
                </Text>
              </div>,
              <Money key="amount" nano={line.amountNano} />,
            ],
          }))}
          total={[t('billing.total'), <Money key="total" nano={statement.creditedNano} />]}
        />
      </Section>
      {statement.holds.length > 0 && (
        <Section title={t('billing.holds')} text={t('billing.holdsText')}>
          <StatementTable
            heads={[t('billing.key'), t('billing.holdSince'), t('billing.amount')]}
            empty=""
            rows={statement.holds.map((line) => ({
              id: line.keyId,
              cells: [
                line.keyName ?? line.keyId,
                formatRecent(line.since, i18n.language),
                <Money key="held" nano={line.heldNano} />,
              ],
            }))}
            total={[t('billing.total'), '', <Money key="total" nano={statement.heldNano} />]}
          />
        </Section>
      )}
    </>
  )
}

function Statement({ statement }: { statement: StatementAnswer }) {
  const { t, i18n } = useTranslation()
  const requests = statement.days.reduce((sum, day) => sum + day.requests, 0)
  const spent = <Money key="spent" nano={statement.spentNano} />
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Stack gap="lg">
        {isOfAccount(statement) ? (
          <AccountFigures statement={statement} />
        ) : (
          <Text size="sm" c="dimmed">
            {t('billing.ownOnly')}
          </Text>
        )}
        <Section title={t('billing.perKey')}>
          <StatementTable
            heads={[t('billing.key'), t('billing.requests'), t('billing.amount')]}
            figures={2}
            empty={t('billing.noSpending')}
            rows={statement.keys.map((line) => ({
              id: line.keyId,
              cells: [
                line.keyName ?? line.keyId,
                formatCount(line.requests),
                <Money key="cost" nano={line.costNano} />,
              ],
            }))}
            total={[t('billing.total'), formatCount(requests), spent]}
          />
        </Section>
      </Stack>
      <Section title={t('billing.days')}>
        <StatementTable
          heads={[t('billing.day'), t('billing.requests'), t('billing.amount')]}
          figures={2}
          empty={t('billing.noSpending')}
          rows={statement.days.map((line) => ({
            id: line.day,
            cells: [
              formatUtcDay(line.day, i18n.language),
              formatCount(line.requests),
              <Money key="cost" nano={line.costNano} />,
            ],
          }))}
          total={[t('billing.total'), formatCount(requests), spent]}
        />
      </Section>
    </SimpleGrid>
  )
}
