/** The results of a certification, as the kit writes them into its report: closed sets. */

/** What the FSP is in a case. */
export const certificationRoles = ['payer', 'payee', 'dfsp', 'pisp'] as const

export const certificationStates = ['passed', 'failed', 'notRun'] as const

export type CertificationRole = (typeof certificationRoles)[number]
export type CertificationState = (typeof certificationStates)[number]
