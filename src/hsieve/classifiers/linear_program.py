"""Linear programs that HiGHS keeps, so that each begins where the last ended.

A row more, or other bounds of the variables, do not spoil the last basis for the dual simplex
method, which finishes with a few more steps.
"""

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import ArrayLike

from hsieve.array_types import FloatArray

# Weights of that size at most are zero, too.
SOLVER_TOLERANCE = 1e-9
# Steps of the simplex method after which it is thought to run in circles, as among columns that
# are nearly equal: so many a row, and so many for a start.
STEPS_A_ROW = 20
STEPS_AT_LEAST = 1000


@dataclass(frozen=True, eq=False)
class Solution:
    """Values of the variables, how the optimum follows the bounds of the rows, and the optimum."""

    values: FloatArray
    duals: FloatArray
    objective: float


class LinearProgram:
    """A linear program that HiGHS keeps: variables of at least zero, whose cost is minimised."""

    def __init__(self, cost: FloatArray, upper: FloatArray) -> None:
        self._highs = highspy.Highs()
        self.n_rows = 0
        # The simplex method's answers are vertices, and it needs no second thread for them.
        for option, value in {
            "output_flag": False,
            "solver": "simplex",
            "presolve": "off",
            "parallel": "off",
            "threads": 1,
            "primal_feasibility_tolerance": SOLVER_TOLERANCE,
            "dual_feasibility_tolerance": SOLVER_TOLERANCE,
        }.items():
            self._highs.setOptionValue(option, value)
        self._places = np.arange(len(cost), dtype=np.int32)
        self._highs.addVars(len(cost), np.zeros(len(cost)), upper)
        self._highs.changeColsCost(len(cost), self._places, cost)

    def add(self, rows: FloatArray, *, lower: ArrayLike, upper: ArrayLike) -> None:
        """Add rows between bounds."""
        n_rows, width = rows.shape
        if n_rows == 0:
            return
        starts = np.arange(0, rows.size, width, dtype=np.int32)
        places = np.tile(self._places, n_rows)
        self._highs.addRows(
            n_rows, np.asarray(lower), np.asarray(upper), rows.size, starts, places, rows.ravel()
        )
        self.n_rows += n_rows

    def bound(self, upper: FloatArray) -> None:
        """Change the upper bounds of the first variables."""
        places = self._places[: len(upper)]
        self._highs.changeColsBounds(len(upper), places, np.zeros(len(upper)), upper)

    def solve(self) -> Solution:
        """Go on from the last basis; from none, or by interior points, if that leads nowhere."""
        if not (self._is_solved() or self._is_solved_anew() or self._is_solved_inside()):
            status = self._highs.modelStatusToString(self._highs.getModelStatus())
            msg = f"The linear program of LPBoost was not solved: {status}"
            raise RuntimeError(msg)
        solution = self._highs.getSolution()
        return Solution(
            values=np.array(solution.col_value),
            duals=np.array(solution.row_dual),
            objective=float(self._highs.getObjectiveValue()),
        )

    def _is_solved(self) -> bool:
        """Run the method chosen, not for ever; whether it found the optimum."""
        most_steps = STEPS_A_ROW * self.n_rows + STEPS_AT_LEAST
        self._highs.setOptionValue("simplex_iteration_limit", most_steps)
        ran = self._highs.run()
        optimal = self._highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        return bool(ran == highspy.HighsStatus.kOk and optimal)

    def _is_solved_anew(self) -> bool:
        """Forget the last basis."""
        self._highs.clearSolver()
        # All programs of a process must agree in this, and another package may have come first.
        self._highs.setOptionValue("threads", 0)
        return self._is_solved()

    def _is_solved_inside(self) -> bool:
        """Go through the interior, and from there to a vertex, which the simplex method needs."""
        self._highs.clearSolver()
        self._highs.setOptionValue("solver", "ipm")
        try:
            return self._is_solved()
        finally:
            self._highs.setOptionValue("solver", "simplex")
