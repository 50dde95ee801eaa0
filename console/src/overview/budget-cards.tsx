import { Paper, SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { BudgetState } from '../../../src/console-api/contract.ts'
import { accountQuery, sessionQuery } from '../api/queries.ts'
import { BudgetList } from '../parts/values/budget-list.tsx'

const refreshMs = 30_000

/** The budgets of the user in one account and, for its owners, those of the account; nothing if there are none. */
export function BudgetCards({ account }: { account: string | undefined }) {
  const { t } = useTranslation()
  const session = useQuery(sessionQuery).data
  const [only, ...others] = session?.accounts ?? []
  const id = account ?? (others.length === 0 ? only?.id : undefined)
  const detail = useQuery({
    ...accountQuery(id ?? ''),
    enabled: id !== undefined,
    refetchInterval: refreshMs,
  }).data
  const own = detail?.members.find(({ userId }) => userId === session?.user?.id)?.budgets ?? []
  const whole = detail?.budgets ?? []
  if (own.length + whole.length === 0) return null
  return (
    <SimpleGrid cols={{ base: 1, sm: own.length > 0 && whole.length > 0 ? 2 : 1 }} spacing="sm">
      <BudgetCard title={t('budget.own')} budgets={own} />
      <BudgetCard title={t('budget.account')} budgets={whole} />
    </SimpleGrid>
  )
}

function BudgetCard({ title, budgets }: { title: string; budgets: readonly BudgetState[] }) {
  if (budgets.length === 0) return null
  return (
    <Paper withBorder px="md" py="sm">
      <Text size="xs" c="dimmed" fw={500} mb={2}>
        {title}
      </Text>
      <BudgetList budgets={budgets} />
    </Paper>
  )
}
