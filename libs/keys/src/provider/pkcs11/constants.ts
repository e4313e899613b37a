/** The numbers of PKCS#11 that are used here. OASIS PKCS #11 Specification 3.1, annex B. */

export const object = { PUBLIC_KEY: 2, PRIVATE_KEY: 3, SECRET_KEY: 4 } as const

export const keyType = {
  RSA: 0x00,
  EC: 0x03,
  GENERIC_SECRET: 0x10,
  DES2: 0x14,
  DES3: 0x15,
  AES: 0x1f,
  EC_EDWARDS: 0x40,
} as const

export const attribute = {
  CLASS: 0x000,
  TOKEN: 0x001,
  PRIVATE: 0x002,
  LABEL: 0x003,
  VALUE: 0x011,
  KEY_TYPE: 0x100,
  ID: 0x102,
  SENSITIVE: 0x103,
  ENCRYPT: 0x104,
  DECRYPT: 0x105,
  UNWRAP: 0x107,
  SIGN: 0x108,
  VERIFY: 0x10a,
  DERIVE: 0x10c,
  MODULUS: 0x120,
  PUBLIC_EXPONENT: 0x122,
  VALUE_LEN: 0x161,
  EXTRACTABLE: 0x162,
  EC_PARAMS: 0x180,
  EC_POINT: 0x181,
} as const

export const mechanism = {
  SHA256_RSA_PKCS: 0x0040,
  DES3_ECB: 0x0132,
  EC_KEY_PAIR_GEN: 0x1040,
  ECDSA: 0x1041,
  ECDH1_DERIVE: 0x1050,
  EC_EDWARDS_KEY_PAIR_GEN: 0x1055,
  EDDSA: 0x1057,
  AES_KEY_GEN: 0x1080,
  AES_ECB: 0x1081,
  AES_GCM: 0x1087,
  AES_CMAC: 0x108a,
  AES_KEY_WRAP: 0x2109,
} as const

export const flag = { SERIAL_SESSION: 4, RW_SESSION: 2, OS_LOCKING_OK: 2 } as const

export const user = 1

/** CKD_NULL: the shared secret itself. */
export const noDerivation = 1

export const returned = {
  GENERAL_ERROR: 0x005,
  DATA_INVALID: 0x020,
  DEVICE_ERROR: 0x030,
  DEVICE_REMOVED: 0x032,
  ENCRYPTED_DATA_INVALID: 0x040,
  ENCRYPTED_DATA_LEN_RANGE: 0x041,
  KEY_HANDLE_INVALID: 0x060,
  PIN_INCORRECT: 0x0a0,
  PIN_LOCKED: 0x0a4,
  SESSION_CLOSED: 0x0b0,
  SESSION_HANDLE_INVALID: 0x0b3,
  TOKEN_NOT_PRESENT: 0x0e0,
  USER_ALREADY_LOGGED_IN: 0x100,
  USER_NOT_LOGGED_IN: 0x101,
  WRAPPED_KEY_INVALID: 0x110,
  WRAPPED_KEY_LEN_RANGE: 0x112,
  ALREADY_INITIALIZED: 0x191,
} as const
