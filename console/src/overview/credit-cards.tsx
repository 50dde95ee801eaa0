import { SimpleGrid } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { OverviewAnswer } from '../../../src/console-api/contract.ts'
import { FigureCard } from '../parts/values/figure-card.tsx'
import { Money } from '../parts/values/money.tsx'

/** Available, reserved and spent money. */
export function CreditCards({ credit }: { credit: OverviewAnswer['credit'] | undefined }) {
  const { t } = useTranslation()
  return (
    <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm" className="three-figures">
      <FigureCard
        label={t('overview.available')}
        figure={credit && <Money nano={credit.availableNano} isFitted />}
      />
      <FigureCard
        label={t('overview.held')}
        figure={credit && <Money nano={credit.heldNano} isFitted />}
        hint={t('overview.heldHint')}
      />
      <FigureCard
        label={t('overview.spent')}
        figure={credit && <Money nano={credit.spentNano} isFitted />}
      />
    </SimpleGrid>
  )
}
