import { Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { MouseEventHandler, ReactNode, Ref } from 'react'

type Props = ButtonProps & {
  ref?: Ref<HTMLAnchorElement>
  children?: ReactNode
  onClick?: MouseEventHandler<HTMLAnchorElement>
}

export const ButtonLink = createLink((props: Props) => <Button component="a" {...props} />)
