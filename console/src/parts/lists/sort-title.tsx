import { Group, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '../../icons/icons.ts'

export interface ListOrder<By extends string> {
  readonly by: By
  readonly isDescending: boolean
}

interface SortTitleProps<By extends string> {
  readonly name: string
  readonly by: By
  /** The direction of the first click. */
  readonly isDescendingFirst?: boolean
  readonly order: ListOrder<By>
  readonly onOrder: (order: ListOrder<By>) => void
}

/** Title of a sortable column. Another click reverses the order. */
export function SortTitle<By extends string>(props: SortTitleProps<By>) {
  const { t } = useTranslation()
  const { name, by, isDescendingFirst = false, order, onOrder } = props
  const isSorted = order.by === by
  const Icon = !isSorted ? IconArrowsSort : order.isDescending ? IconArrowDown : IconArrowUp
  const state = !isSorted
    ? t('sort.none')
    : order.isDescending
      ? t('sort.descending')
      : t('sort.ascending')
  return (
    <UnstyledButton
      fz="inherit"
      fw="inherit"
      onClick={() =>
        onOrder({ by, isDescending: isSorted ? !order.isDescending : isDescendingFirst })
      }
    >
      <Group gap={4} wrap="nowrap">
        {name}
        <Icon size={14} stroke={1.6} aria-hidden opacity={isSorted ? 1 : 0.4} />
        <VisuallyHidden>{state}</VisuallyHidden>
      </Group>
    </UnstyledButton>
  )
}
