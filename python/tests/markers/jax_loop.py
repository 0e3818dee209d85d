"""A loop of JAX on the CPU with markers."""

from __future__ import annotations

import finding

finding.package()

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

from dlprof_agg.jax import end_step, scope, step  # noqa: E402


@jax.jit
def update(weights: jax.Array, inputs: jax.Array) -> jax.Array:
    # Inside of what is compiled a scope names ops, and opens no range while JAX traces it.
    with scope("gradient"):
        gradient = jax.grad(lambda weights: jnp.sum((inputs @ weights) ** 2))(weights)
    return weights - 0.01 * gradient


weights = jnp.ones((4, 2))
for number in range(6):
    step()
    with scope("update"):
        weights = update(weights, jnp.full((3, 4), float(number)))
        weights.block_until_ready()
end_step()
assert "gradient" in update.lower(weights, jnp.ones((3, 4))).compile().as_text()
